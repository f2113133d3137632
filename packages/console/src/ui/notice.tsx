import type { ReactNode } from "react";

/** Shows a message. Screen readers announce a message with the tone `bad` immediately. */
export function Notice(props: { tone: "info" | "good" | "warn" | "bad"; children: ReactNode }) {
  const { tone, children } = props;
  return (
    <div className="notice" data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}
