// main.swift: a program on the ledger: keeps two accounts from many threads, and prints them and whose queues it has.
import Ledger

let ledger = Ledger()
ledger.add(Array(1...1000), to: "savings")
DispatchQueue.concurrentPerform(iterations: 100) { ledger.add($0, to: "cash") }
for account in ["savings", "cash"] { print(account, ledger.balance(of: account)) }
print(String(reflecting: DispatchQueue.self))
