import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, redirect } from "@tanstack/react-router";
import { sessionQuery } from "../session/session.ts";
import { NotFound } from "../shell/failures.tsx";
import { Shell } from "../shell/shell.tsx";
import { SignIn } from "../shell/sign-in.tsx";
import { textsOf } from "./rules/search.ts";

export type RouteContext = { readonly client: QueryClient };

export const rootRoute = createRootRouteWithContext<RouteContext>()({
  notFoundComponent: NotFound,
});

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: textsOf("return_to", "error"),
  component: SignIn,
});

/**
 * The layout for signed-in people. Other people are redirected to the login page, and back after
 * they have signed in.
 */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    const session = await context.client.fetchQuery(sessionQuery);
    if (session === null) {
      const search = { return_to: `/console${location.href}` };
      throw redirect({ to: "/sign-in", search });
    }
    // Without a team, only invitations are available.
    const isTeamless = session.kind === "member" && session.merchant === null;
    if (isTeamless && !location.pathname.endsWith("/invitations")) {
      throw redirect({ to: "/invitations" });
    }
    return { session };
  },
  component: Shell,
});
