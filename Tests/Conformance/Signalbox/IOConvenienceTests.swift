// IOConvenienceTests.swift: reads and writes of a descriptor without a channel.
import Glibc
import Testing

/// One call of a handler: the bytes (nil: no data) and the error.
private struct Answer: Equatable, Sendable {
  var bytes: [UInt8]?
  var error: Int32
}

private func copied(_ data: DispatchData) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: data.count) { buffer, count in count = data.copyBytes(to: buffer) }
}

private func take(_ number: Int32, _ length: Int) -> Recorder<Answer> {
  let answers = Recorder<Answer>()
  let queue = DispatchQueue(label: "read")
  DispatchIO.read(fromFileDescriptor: number, maxLength: length, runningHandlerOn: queue) { data, error in
    answers.add(Answer(bytes: copied(data), error: error))
  }
  return answers
}

private func give(_ number: Int32, _ bytes: [UInt8]) -> Recorder<Answer> {
  let answers = Recorder<Answer>()
  let queue = DispatchQueue(label: "write")
  DispatchIO.write(toFileDescriptor: number, data: DispatchData(bytes), runningHandlerOn: queue) { data, error in
    answers.add(Answer(bytes: data.map { copied($0) }, error: error))
  }
  return answers
}

private func expectAnswer(
  _ answers: Recorder<Answer>, _ bytes: [UInt8]?, _ error: Int32 = 0, at location: SourceLocation = #_sourceLocation
) {
  answers.wait(count: 1, at: location)
  expect(answers.entries == [Answer(bytes: bytes, error: error)], "\(answers.entries)", at: location)
}

extension Conformance {
  @Suite("Reading and writing without a channel") struct IOConvenience {
    @Test("A read of a file returns the requested number of bytes or the whole file, and nothing at its end")
    func files() async {
      await isolated {
        let file = TestFile(pattern(1_500_000))
        let number = file.open(O_RDONLY)
        expectAnswer(take(number, 100), pattern(100))
        expectAnswer(take(number, 0), [])
        expectAnswer(take(number, .max), pattern(1_499_900, from: 100))
        expectAnswer(take(number, 10), [])
        expect(!isNonblocking(number))
        close(number)
      }
    }

    @Test("A pipe is read when its first byte comes, and its descriptor blocks again when the handler is called")
    func pipes() async {
      await isolated {
        let (output, input) = makePipe()
        let first = take(output, 100)
        waitForWhatMustNotCome()
        expectEqual(first.entries, [])
        put([1, 2, 3], into: input)
        expectAnswer(first, [1, 2, 3])
        expect(!isNonblocking(output))
        put(pattern(10), into: input)
        expectAnswer(take(output, 4), pattern(4))
        expectAnswer(take(output, .max), pattern(6, from: 4))
        close(input)
        expectAnswer(take(output, .max), [])
        close(output)
      }
    }

    @Test("The handler of a write gets what was not written, and no data when all was")
    func writes() async {
      await isolated {
        signal(SIGPIPE, SIG_IGN)
        let (output, input) = makePipe()
        expectAnswer(give(input, pattern(100)), nil)
        expectAnswer(give(input, []), nil)
        expectAnswer(take(output, .max), pattern(100))
        expectAnswer(give(output, pattern(10)), pattern(10), EBADF)
        close(output)
        expectAnswer(give(input, pattern(10)), pattern(10), EPIPE)
        close(input)
      }
    }

    @Test("A number that is no descriptor gives the handler an error")
    func badDescriptor() async {
      await isolated { expectAnswer(take(999_999, 10), [], EBADF) }
    }

    @Test("Many reads at once of one descriptor bring every byte once")
    func many() async {
      await isolated {
        let file = TestFile()
        let number = file.open(O_WRONLY)
        let answers = (0..<200).map { give(number, pattern(100, from: $0 * 100)) }
        for answer in answers { expectAnswer(answer, nil) }
        close(number)
        expectEqual(file.contents.count, 20_000)
      }
    }
  }
}
