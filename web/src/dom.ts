// Elements of index.html by their id; a missing one is a bug.

export function find<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`no element ${id}`);
  return element;
}

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}

export function swatch(colour: string): HTMLElement {
  const mark = make('span', { className: 'swatch' });
  mark.style.background = colour;
  return mark;
}
