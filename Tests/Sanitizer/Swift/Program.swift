// Program.swift: a Swift program for -sanitize=thread: `program CASE` runs one case, `program` lists them, each with a word before.
// Not a target of the package: Scripts/check-sanitizer builds it as its users would.
import Glibc

@main enum Program {
  static func main() {
    let clean = cleanCases + orderCases + classCases + ownCases
    guard CommandLine.arguments.count > 1 else {
      for one in clean { print("clean", one.name) }
      for one in racyCases { print("racy", one.name) }
      return
    }
    guard let one = (clean + racyCases).first(where: { $0.name == CommandLine.arguments[1] }) else { exit(64) }
    warmUp()
    one.run()
    finish()
  }
}
