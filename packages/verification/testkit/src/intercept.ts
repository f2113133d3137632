/** Replaces a method. `proceed` calls the original with the given arguments. */
export type Interception = (proceed: () => Promise<unknown>) => unknown;

/** Intercepts some methods, to inject a fault or a concurrent write. */
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

/** The operation before or after which a process is killed. The first one is 1. */
export type Killed = { readonly at: number; readonly when: "before" | "after" };

/** Returns a process that is killed at an operation, and then does nothing more. */
export function killedAt({ at, when }: Killed) {
  let operations = 0;
  let isDead = false;
  const intercept = async <T>(act: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Error("killed");
    operations += 1;
    if (operations !== at) return act();
    isDead = true;
    if (when === "after") await act();
    throw new Error("killed");
  };
  return { intercept, isDead: () => isDead, operations: () => operations };
}
