// counted-events.swift: a counter adds one to a source for each of two messages, and its handler counts its own calls.
// What is added before the handler has been called is reported in one call: the count never comes to two, and the wait never ends.
// Fix: the handler adds up the source's data, which is two at the end however many calls there were.
import Dispatch
import Glibc

let events = DispatchQueue(label: "events")
let source = DispatchSource.makeUserDataAddSource(queue: events)
let done = DispatchSemaphore(value: 0)
nonisolated(unsafe) var count: UInt = 0  // SAFETY: used on `events` alone.

func listen(to source: DispatchSourceUserDataAdd) {
  source.setEventHandler {
    #if MENDED
    count += source.data
    #else
    count += 1
    #endif
    if count == 2 { done.signal() }
  }
  source.resume()
}

listen(to: source)
source.add(data: 1)
usleep(45_000)
source.add(data: 1)
done.wait()
source.cancel()
