import { useCallback, useMemo, useSyncExternalStore } from "react";

/** The same widths as in the styles: tables change on a telephone, the navigation on a tablet. */
const widths = { telephone: "(max-width: 40rem)", tablet: "(max-width: 60rem)" } as const;

/** Returns true on screens that are at most as wide as this device's. */
export function useNarrow(device: keyof typeof widths): boolean {
  const query = useMemo(() => window.matchMedia(widths[device]), [device]);
  const subscribe = useCallback(
    (listen: () => void) => {
      query.addEventListener("change", listen);
      return () => query.removeEventListener("change", listen);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => query.matches);
}
