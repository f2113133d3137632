import type { ComponentProps } from "react";

/** A button that acts on the page, or sends its form with the type `submit`. */
export function Button(
  props: Omit<ComponentProps<"button">, "className"> & {
    readonly kind?: "primary" | "danger" | "plain" | undefined;
  },
) {
  const { kind, type = "button", ...attributes } = props;
  return <button type={type} className="button" data-kind={kind} {...attributes} />;
}
