// Light, dark, or as the system says.

import { find } from './dom';

const kOrder = ['system', 'light', 'dark'] as const;
type Theme = (typeof kOrder)[number];

export function startTheme(changed: () => void): () => void {
  const button = find('theme', HTMLButtonElement);
  const media = window.matchMedia('(prefers-color-scheme: dark)');
  let theme: Theme = 'system';
  const apply = () => {
    const dark = theme === 'dark' || (theme === 'system' && media.matches);
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
    button.textContent = theme === 'system' ? '◐' : theme === 'light' ? '○' : '●';
    const words = theme === 'system' ? 'Colours: as the system' : `Colours: ${theme}`;
    button.setAttribute('aria-label', words);
    button.title = words;
    changed();
  };
  const next = () => {
    theme = kOrder[(kOrder.indexOf(theme) + 1) % kOrder.length]!;
    apply();
  };
  button.addEventListener('click', next);
  media.addEventListener('change', apply);
  apply();
  return next;
}
