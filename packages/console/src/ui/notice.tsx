import type { ReactNode } from "react";

/** Something to know; one that is bad is said at once by a screen reader. */
export function Notice(props: { tone: "info" | "good" | "warn" | "bad"; children: ReactNode }) {
  const { tone, children } = props;
  return (
    <div className="notice" data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}
