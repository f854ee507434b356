// SourceScenarios.swift: sources for data, descriptors, signals, processes and files. Timers are TimerScenarios.swift.
import SignalboxCNames
import SignalboxSystem

enum SourceScenarios {
  static let all: [Scenario] = [
    Scenario(
      "source-kinds", "One source of each kind that the survey lists", .survey, "C2, C4, C5, C6",
      article: "eleven kinds of events can be monitored",
      documents: "the header has these and one more, data that is replaced; on Linux it offers seven of them, Signalbox all"
    ) { lab in everyKind(lab) },
    Scenario(
      "source-begins-inactive", "A source that was not resumed yet", .survey, "C1",
      article: "a source is made, put to a queue, and dispatch_resume sets it going",
      documents: "sources are made inactive; dispatch_activate, or dispatch_resume, begins the delivery of events"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.source", DISPATCH_QUEUE_SERIAL), told = Gate()
      let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue)
      dispatch_source_set_registration_handler(source) { lab.note("registered") }
      dispatch_source_set_event_handler(source) {
        lab.note("event: \(dispatch_source_get_data(source))")
        told.open()
      }
      for value: UInt in [1, 2] { dispatch_source_merge_data(source, value) }
      dispatch_sync(queue) { lab.note("the queue runs other things") }
      dispatch_resume(source)
      told.pass()
      dispatch_source_cancel(source)
      lab.expectOrder("the queue runs other things", "registered", "event: 3")
      return lab.order()
    },
    Scenario(
      "source-data-add", "A hundred times 1, while the handler is busy", .survey, "C2",
      article: "DATA_ADD is an event of the program's own",
      documents: "data that comes while the handler runs is added up and told by one call afterwards"
    ) { lab in coalesced(lab, DISPATCH_SOURCE_TYPE_DATA_ADD, Array(repeating: 1, count: 100), wanted: 100) },
    Scenario(
      "source-data-or", "The bits 1, 2, 4 and 2 again, while the handler is busy", .survey, "C2",
      article: "DATA_OR is an event of the program's own",
      documents: "data that comes while the handler runs is joined bit by bit and told by one call afterwards"
    ) { lab in coalesced(lab, DISPATCH_SOURCE_TYPE_DATA_OR, [1, 2, 4, 2], wanted: 7) },
    Scenario(
      "source-data-replace", "The values 1, 2 and 9, while the handler is busy", .survey, "C2",
      article: "the kind is missing in the list of the survey",
      documents: "data that comes while the handler runs takes the place of what was there: the latest is reported"
    ) { lab in coalesced(lab, DISPATCH_SOURCE_TYPE_DATA_REPLACE, [1, 2, 9], wanted: 9) },
    Scenario(
      "source-read", "Bytes in a pipe, and its end", .survey, "C1, C4",
      article: "READ is the event that a file can be read",
      documents: "the data is about how many bytes wait; the descriptor is closed in the cancel handler, not before"
    ) { lab in readFromPipe(lab) },
    Scenario(
      "source-write", "Room in a pipe", .survey, "C4",
      article: "WRITE is the event that a file can be written",
      documents: "the data is about how many bytes there is room for"
    ) { lab in
      lab.withPipe { pipe in
        let queue = dispatch_queue_create("com.bool.source", DISPATCH_QUEUE_SERIAL), closed = Gate()
        let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_WRITE, pipe.writing, 0, queue)
        dispatch_source_set_event_handler(source) {
          let room = dispatch_source_get_data(source)
          lab.expect(room > 0, "room in an empty pipe", "none")
          lab.note("room for \(room) bytes")
          dispatch_source_cancel(source)
        }
        dispatch_source_set_cancel_handler(source) {
          for descriptor in [pipe.reading, pipe.writing] { Descriptors.close(descriptor) }
          lab.note("closed")
          closed.open()
        }
        dispatch_resume(source)
        closed.pass()
        return lab.order()
      }
    },
    Scenario(
      "signal-stop-refused", "The survey's source for SIGSTOP", .survey, "C4",
      article: "its handler runs when a breakpoint is switched on and off again",
      documents: "the kernel tells no program of SIGSTOP (signal(7)); NULL for arguments that are not valid",
      errs: "not on Linux, where no handler can hear of SIGSTOP; going on after a stop is SIGCONT, see signal-continue"
    ) { lab in
      let once = OnceFlag()
      once.run {
        let queue = dispatch_get_main_queue()
        let source: dispatch_source_t? = dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, Signals.stop, 0, queue)
        lab.note(source == nil ? "no source" : "a source")
        lab.expect(source == nil, "no source", "one that can never be reported")
      }
      return "no source; standard error says why, and offers SIGCONT"
    },
    Scenario(
      "signal-continue", "The same for SIGCONT, on the main queue", .survey, "C4",
      article: "what it wants to see is a program that goes on after it was stopped",
      documents: "the data is how many signals came since the last call; SIGCONT can be monitored"
    ) { lab in
      let source: dispatch_source_t = dispatch_source_create(
        DISPATCH_SOURCE_TYPE_SIGNAL, Signals.proceed, 0, dispatch_get_main_queue())
      dispatch_source_set_event_handler(source) {
        let count = dispatch_source_get_data(source)
        lab.note("debug test")
        lab.expect(count == 1, "one signal", "\(count)")
        lab.expectThreads("main") { $0 == "debug test" }
        lab.finish("the handler ran on main, for \(count) signal")
      }
      dispatch_source_set_registration_handler(source) {
        lab.note("sends SIGCONT")
        _ = lab.provided {
          try Signals.sendToSelf(Signals.proceed)
          return ""
        }
      }
      dispatch_resume(source)
      dispatch_main()
    },
    Scenario(
      "source-process", "The end of a child, and its status afterwards", .survey, "C5",
      article: "PROC is for events of processes",
      documents: "DISPATCH_PROC_EXIT is reported when the process has ended; its parent still has the status to fetch"
    ) { lab in
      lab.provided {
        let child = try ChildProcess("/bin/sh", ["-c", "exit 7"]), told = Gate()
        let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_PROC, child.id, DISPATCH_PROC_EXIT, nil)
        dispatch_source_set_event_handler(source) {
          lab.note("events \(String(dispatch_source_get_data(source), radix: 16))")
          lab.expect(dispatch_source_get_data(source) == DISPATCH_PROC_EXIT, "the end", "something else")
          told.open()
        }
        dispatch_resume(source)
        told.pass()
        dispatch_source_cancel(source)
        let ending = child.wait()
        lab.expect(ending == .exited(7), "the status 7 is still there", "\(ending)")
        return "reported the end; the status is left for the parent: \(ending)"
      }
    },
    Scenario(
      "source-file", "A file that grows, is renamed and is removed", .survey, "C5",
      article: "VNODE is for changes of a file",
      documents: "the source monitors what the descriptor is open on: by whatever name, each event is a bit of the data"
    ) { lab in lab.withFolder(files: ["one", "other"]) { try changeFile(lab, $0) } },
    Scenario(
      "object-goes-by-itself", "A source that is dropped, neither cancelled nor released", .survey, "B11, C1",
      article: "dispatch objects have to be memory-managed by hand",
      documents: "in C; Objective-C with ARC, and Swift, count the references. A source without any tells nothing more",
      errs: "in Swift, and with ARC, nothing is managed by hand"
    ) { lab in
      let gone = Gate()
      do {
        let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, nil)
        let witness = Witness {
          lab.note("the handler is destroyed")
          gone.open()
        }
        dispatch_source_set_event_handler(source) { [witness] in withExtendedLifetime(witness) {} }
        dispatch_resume(source)
        lab.note("dropped")
      }
      gone.pass()
      return lab.order()
    },
    Scenario(
      "object-context", "A context, and the finalizer that gets it", .survey, "B11",
      article: "objects have functions for memory, for cancelling and suspending, for a context and for logs",
      documents: "the finalizer runs with the context once the last reference is gone"
    ) { lab in
      let gone = Gate()
      do {
        let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, nil)
        dispatch_set_context(source, Unmanaged.passRetained(gone).toOpaque())
        dispatch_set_finalizer_f(source) { raw in if let raw { Unmanaged<Gate>.fromOpaque(raw).takeRetainedValue().open() } }
        lab.expect(dispatch_get_context(source) != nil, "the context is kept", "none")
        dispatch_resume(source)
        lab.note("dropped with a context")
      }
      gone.pass()
      lab.note("the finalizer has run")
      return lab.order()
    },
  ]

  // MARK: bodies

  /// Data that is merged while the handler of the first event is busy, and what the second event tells.
  private static func coalesced(_ lab: Recorder, _ type: dispatch_source_type_t, _ values: [UInt], wanted: UInt) -> String {
    let queue = dispatch_queue_create("com.bool.source", DISPATCH_QUEUE_SERIAL)
    let source: dispatch_source_t = dispatch_source_create(type, 0, 0, queue)
    let calls = Counter(), begun = Gate(), goOn = Gate(), told = Gate()
    dispatch_source_set_event_handler(source) {
      lab.note("event: \(dispatch_source_get_data(source))")
      if calls.add(1) > 1 { return told.open() }
      begun.open()
      goOn.pass()
    }
    dispatch_resume(source)
    dispatch_source_merge_data(source, 1)
    begun.pass()
    for value in values { dispatch_source_merge_data(source, value) }
    lab.note("\(values.count) merged while the handler is busy")
    goOn.open()
    told.pass()
    dispatch_source_cancel(source)
    lab.expectOrder("event: 1", "\(values.count) merged while the handler is busy", "event: \(wanted)")
    return "\(values.count) merges, one event of \(wanted)"
  }

  private static func readFromPipe(_ lab: Recorder) -> String {
    lab.withPipe { pipe in
      let queue = dispatch_queue_create("com.bool.source", DISPATCH_QUEUE_SERIAL), heard = Gate(), closed = Gate()
      let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, pipe.reading, 0, queue)
      dispatch_source_set_event_handler(source) {
        let waiting = dispatch_source_get_data(source)
        guard let text = readOnce(pipe.reading) else {
          lab.note("the end")
          return dispatch_source_cancel(source)
        }
        lab.note("\(waiting) bytes: \(text)")
        heard.open()
      }
      dispatch_source_set_cancel_handler(source) {
        Descriptors.close(pipe.reading)
        lab.note("closed")
        closed.open()
      }
      lab.write("hello", to: pipe.writing)
      dispatch_resume(source)
      heard.pass()
      Descriptors.close(pipe.writing)
      closed.pass()
      lab.expectOrder("5 bytes: hello", "the end", "closed")
      return lab.order()
    }
  }

  /// Changes a file in three ways, and waits each time until the source has reported it.
  private static func changeFile(_ lab: Recorder, _ folder: String) throws -> String {
    let (path, other) = ("\(folder)/one", "\(folder)/other"), queue = dispatch_queue_create("com.bool.source", nil)
    try PrivateFile.append("hello", to: path)
    let descriptor = try Descriptors.open(RawString(path), flags: OpenFlag.read, mode: 0)
    let mask = DISPATCH_VNODE_EXTEND | DISPATCH_VNODE_RENAME | DISPATCH_VNODE_DELETE
    let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_VNODE, descriptor, mask, queue)
    let names = [(DISPATCH_VNODE_EXTEND, "grown"), (DISPATCH_VNODE_RENAME, "renamed"), (DISPATCH_VNODE_DELETE, "removed")]
    let told = names.map { ($0.0, $0.1, Gate()) }, registered = Gate(), closed = Gate()
    dispatch_source_set_registration_handler(source) { registered.open() }
    dispatch_source_set_event_handler(source) {
      let events = dispatch_source_get_data(source)
      for (bit, name, gate) in told where events & bit != 0 {
        lab.note(name)
        gate.open()
      }
    }
    dispatch_source_set_cancel_handler(source) {
      Descriptors.close(descriptor)
      closed.open()
    }
    dispatch_resume(source)
    registered.pass()
    try PrivateFile.append(", world", to: path)
    told[0].2.pass()
    try Files.rename(RawString(path), to: RawString(other))
    told[1].2.pass()
    try Files.removeFile(RawString(other))
    told[2].2.pass()
    dispatch_source_cancel(source)
    closed.pass()
    lab.expectOrder("grown", "renamed", "removed")
    return lab.order()
  }

  private static func everyKind(_ lab: Recorder) -> String {
    lab.withFolder(files: ["monitored"]) { folder in
      let pipe = try PipeEnds(), port = try SignalboxPort.makePair(), path = "\(folder)/monitored"
      try PrivateFile.append("hello", to: path)
      let file = try Descriptors.open(RawString(path), flags: OpenFlag.read, mode: 0)
      defer { for descriptor in [pipe.reading, pipe.writing, file] { Descriptors.close(descriptor) } }
      let kinds: [(String, dispatch_source_type_t, UInt, UInt)] = [
        ("DATA_ADD", DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0), ("DATA_OR", DISPATCH_SOURCE_TYPE_DATA_OR, 0, 0),
        ("MACH_RECV", DISPATCH_SOURCE_TYPE_MACH_RECV, UInt(port.receive.name), 0),
        ("MACH_SEND", DISPATCH_SOURCE_TYPE_MACH_SEND, UInt(port.send.name), DISPATCH_MACH_SEND_DEAD),
        ("PROC", DISPATCH_SOURCE_TYPE_PROC, UInt(ThreadSlot.kernelID()), DISPATCH_PROC_EXIT),
        ("READ", DISPATCH_SOURCE_TYPE_READ, UInt(pipe.reading), 0),
        ("SIGNAL", DISPATCH_SOURCE_TYPE_SIGNAL, UInt(Signals.proceed), 0),
        ("TIMER", DISPATCH_SOURCE_TYPE_TIMER, 0, DISPATCH_TIMER_STRICT),
        ("VNODE", DISPATCH_SOURCE_TYPE_VNODE, UInt(file), DISPATCH_VNODE_WRITE),
        ("WRITE", DISPATCH_SOURCE_TYPE_WRITE, UInt(pipe.writing), 0),
        ("MEMORYPRESSURE", DISPATCH_SOURCE_TYPE_MEMORYPRESSURE, 0, DISPATCH_MEMORYPRESSURE_WARN),
      ]
      for (name, type, handle, mask) in kinds {
        guard let source = dispatch_source_create(type, handle, mask, nil) as dispatch_source_t? else {
          lab.expect(false, "a source of the kind \(name)", "none")
          continue
        }
        lab.note(name)
        lab.expect(dispatch_source_get_handle(source) == handle, "\(name) knows its handle", "another")
        lab.expect(dispatch_source_get_mask(source) == mask, "\(name) knows its mask", "another")
      }
      return withExtendedLifetime(port) { "a source of each, with the handle and mask it was made with" }
    }
  }
}
