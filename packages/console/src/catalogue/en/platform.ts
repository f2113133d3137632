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
} as const;
