import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { PageFailed, PageLoading } from "../shell/failures.tsx";
import { merchantRoutes } from "./merchant.tsx";
import { operatorRoutes } from "./operators.tsx";
import { notFoundRoute, rootRoute, shellRoute, signedInRoute, signInRoute } from "./root.tsx";

export function createConsoleRouter(client: QueryClient) {
  return createRouter({
    routeTree: rootRoute.addChildren([
      ...[signInRoute, signedInRoute],
      shellRoute.addChildren([...merchantRoutes, ...operatorRoutes, notFoundRoute]),
    ]),
    basepath: "/console",
    context: { client },
    defaultErrorComponent: PageFailed,
    defaultPendingComponent: PageLoading,
    // Input for one record must not stay when another one is opened.
    defaultRemountDeps: ({ params }) => params,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
