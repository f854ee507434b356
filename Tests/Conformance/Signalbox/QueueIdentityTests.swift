// QueueIdentityTests.swift: what a queue says about itself: label and quality of service, of own, global and main queue.
import Testing

extension Conformance {
  @Suite("Labels and services") struct QueueIdentity {
    @Test("A queue keeps its label, whatever is in it")
    func labels() {
      for label in ["", "plain", "com.example.queue", "żółw 🐢", String(repeating: "long ", count: 200)] {
        #expect(DispatchQueue(label: label).label == label)
        #expect(DispatchQueue(label: label, attributes: .concurrent).label == label)
      }
    }

    @Test("A queue's label can be read in its items")
    func labelInItems() async {
      await isolated {
        let queue = DispatchQueue(label: "named")
        let group = DispatchGroup()
        queue.async(group: group) { expectEqual(queue.label, "named") }
        expectEqual(queue.sync { queue.label }, "named")
        group.wait()
      }
    }

    @Test("The main queue is called after the main thread")
    func mainQueue() {
      #expect(DispatchQueue.main.label == "com.apple.main-thread")
    }

    @Test("Global queues are called after their quality of service")
    func globalLabels() {
      let names: [(DispatchQoS.QoSClass, String)] = [
        (.background, "background"), (.utility, "utility"), (.default, "default"), (.userInitiated, "user-initiated"),
      ]
      for (service, name) in names { #expect(DispatchQueue.global(qos: service).label == "com.apple.root.\(name)-qos") }
      #expect(DispatchQueue.global().label == "com.apple.root.default-qos")
    }

    // The toolchain's library has no band for it on Linux and answers with the one below.
    @Test("User interaction is a quality of service of its own", .enabled(if: engineIsOurs))
    func userInteractive() {
      #expect(DispatchQueue.global(qos: .userInteractive).label == "com.apple.root.user-interactive-qos")
      #expect(DispatchQueue.global(qos: .userInteractive).qos.qosClass == .userInteractive)
      #expect(DispatchQueue(label: "made", qos: .userInteractive).qos == .userInteractive)
    }

    @Test("Global queues say their quality of service")
    func globalServices() {
      for service in [DispatchQoS.QoSClass.background, .utility, .userInitiated] {
        #expect(DispatchQueue.global(qos: service).qos == DispatchQoS(qosClass: service, relativePriority: 0))
      }
    }

    @Test("The legacy priorities name the global queues")
    @available(*, deprecated, message: "tests deprecated names")
    func legacyPriorities() {
      let names: [(DispatchQueue.GlobalQueuePriority, String)] = [
        (.high, "user-initiated"), (.default, "default"), (.low, "utility"), (.background, "background"),
      ]
      for (priority, name) in names {
        #expect(DispatchQueue.global(priority: priority).label == "com.apple.root.\(name)-qos")
      }
    }

    @Test("A queue says the quality of service that it was made with")
    func ownServices() {
      for service in [DispatchQoS.background, .utility, .default, .userInitiated, .unspecified] {
        #expect(DispatchQueue(label: "made", qos: service).qos == service)
        #expect(DispatchQueue(label: "made", qos: service, attributes: .concurrent).qos == service)
      }
      let below = DispatchQoS(qosClass: .utility, relativePriority: -15)
      #expect(DispatchQueue(label: "below", qos: below).qos == below)
      #expect(DispatchQueue(label: "plain").qos == .unspecified)
    }

    @Test("A quality of service is its class and its relative priority, as they were given")
    func services() {
      #expect(DispatchQoS(qosClass: .utility, relativePriority: 0) == .utility)
      #expect(DispatchQoS(qosClass: .utility, relativePriority: -1) != .utility)
      #expect(DispatchQoS(qosClass: .utility, relativePriority: 0) != .background)
      for priority in [0, -1, -15] {
        let service = DispatchQoS(qosClass: .userInitiated, relativePriority: priority)
        #expect(service.qosClass == .userInitiated)
        #expect(service.relativePriority == priority)
      }
      #expect(DispatchQoS.default.qosClass == .default)
      #expect(DispatchQoS.unspecified.qosClass == .unspecified)
    }

    @Test("Autorelease frequencies are accepted")
    func autoreleaseFrequencies() async {
      await isolated {
        for frequency in [DispatchQueue.AutoreleaseFrequency.inherit, .workItem, .never] {
          let queue = DispatchQueue(label: "pools", autoreleaseFrequency: frequency)
          expectEqual(queue.sync { 1 }, 1)
        }
      }
    }
  }
}
