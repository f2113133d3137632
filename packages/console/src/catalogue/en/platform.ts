/** Words of the log of requests. */
export const requestWords = {
  title: "Requests",
  caption: "Requests of the last 7 days, newest first",
  empty: "No request of the last 7 days. One is listed a few seconds after its answer.",
  at: "Answered",
  request: "Request",
  result: "Result",
  code: "Error code",
  duration: "Took",
  milliseconds: (ms: number) => `${ms} ms`,
  caller: "By",
  record: "Record",
  requestId: "Request id",
  disconnected: "No answer",
  statuses: { succeeded: "Succeeded", failed: "Failed" } as Readonly<Record<string, string>>,
  madeBy: "Made by",
  keys: "API keys",
  people: "People in the console",
} as const;

/** Words of what operators look at when something does not work. */
export const platformWords = {
  health: {
    title: "Health",
    services: "Services",
    servicesText:
      "Of each service one process answers; the command “disburse status” asks them all.",
    service: "Service",
    state: "State",
    states: {
      serving: "Serving",
      not_serving: "Not serving",
      unreachable: "No answer",
    } as Readonly<Record<string, string>>,
    version: "Version",
    problem: "Problem",
    versions: "Several versions run: an update is under way, or one was left half done.",
    allServe: "Every service serves.",
    notServing: (services: string) => `Not serving: ${services}.`,
    rails: "Rails",
    sources: "Sources of sanctions lists",
    noSources: "No list is fetched by itself here.",
  },
  trace: {
    title: "Trace of a request",
    lead: "What every service did for a request, on one time axis.",
    requestId: "Request id",
    traceId: "Trace id",
    caption: (count: number) => `${count} spans, in the order in which they began`,
    cut: (count: number) => `The first ${count} spans are shown.`,
    span: "Span",
    service: "Service",
    start: "Start",
    duration: "Took",
    bar: "On the time axis",
    milliseconds: (text: string) => `${text} ms`,
    failed: (code: string) => `Failed: ${code}`,
    whole: (text: string) => `${text} ms in all`,
    several: "The request began several traces:",
    ask: "Enter the id of a request, which every answer has as X-Request-Id, or of a trace.",
    notKept:
      "No process keeps spans here: TRACE_MEMORY_SPANS is 0. Look in the collector of your traces, where there is one.",
    notFound:
      "No span of it is kept: processes keep the last ones that have ended. Of a service with several processes the one that answers is asked. A collector has them all, where there is one.",
    unheard: (places: string) => `Not all answered: the spans of ${places} are missing.`,
    ofPayout: "Trace",
  },
} as const;
