import { createRoute, lazyRouteComponent, type RouteComponent } from "@tanstack/react-router";
import { shellRoute } from "./root.tsx";
import { textsOf } from "./rules/search.ts";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** The heading of the page, until the name of its record is known. */
    readonly title?: string;
  }
}

/**
 * A page for signed-in people. `search` names the URL's parameters. `load` has the name of the
 * component, and reads its module when the page is opened.
 */
export function page<
  const Path extends string,
  const Search extends readonly string[],
  Name extends string,
>(
  path: Path,
  title: string,
  search: Search,
  load: { readonly [Key in Name]: () => Promise<Record<NoInfer<Key>, RouteComponent>> },
) {
  const [name] = Object.keys(load) as Name[];
  return createRoute({
    getParentRoute: () => shellRoute,
    path,
    staticData: { title },
    validateSearch: textsOf(...search),
    component: lazyRouteComponent(load[name as Name], name) as RouteComponent,
  });
}
