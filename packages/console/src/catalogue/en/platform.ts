export const platformWords = {
  health: {
    services: "Services",
    servicesText:
      "The status is from one process of each service. The command “disburse status” checks every process.",
    service: "Service",
    state: "State",
    states: {
      serving: "Available",
      not_serving: "Unavailable",
      unreachable: "No response",
    } as Readonly<Record<string, string>>,
    version: "Version",
    problem: "Problem",
    versions: "Several versions are running. An update is in progress or incomplete.",
    allServe: "All services are available.",
    notServing: "Unavailable: {services}.",
    rails: "Rails",
    sources: "Sources of sanctions lists",
  },
  trace: {
    lead: "The path of a request through all services, on one time axis.",
    requestId: "Request id",
    traceId: "Trace id",
    caption: "{count} spans, in order of their start",
    cut: "The first {count} spans are shown.",
    span: "Span",
    service: "Service",
    start: "Start",
    duration: "Took",
    bar: "Time axis",
    milliseconds: "{text} ms",
    failed: "Failed: {code}",
    whole: "{text} ms in total",
    several: "The request started several traces:",
    ask: "Enter the id of a request (the X-Request-Id of its response) or of a trace.",
    notKept:
      "Spans are not kept in memory, because TRACE_MEMORY_SPANS is 0. Check your trace collector.",
    notFound:
      "No spans found. Each process keeps only its latest spans, and one process of each service was queried. A trace collector keeps all of them.",
    unavailable: "Some services did not respond. The spans of {places} are missing.",
    ofPayout: "Trace",
  },
} as const;
