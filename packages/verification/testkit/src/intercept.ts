/** Runs in place of a method; `proceed` calls the method itself with the arguments that came. */
export type Interception = (proceed: () => Promise<unknown>) => unknown;

/** The same object, some of whose methods are intercepted: a fault, or another writer in between. */
export function intercepted<T extends object>(
  of: T,
  methods: readonly string[],
  interception: Interception,
): T {
  return new Proxy(of, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      if (!methods.includes(String(name))) return found.bind(target);
      return (...given: unknown[]) => interception(async () => Reflect.apply(found, target, given));
    },
  });
}
