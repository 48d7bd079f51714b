// Tabs, of which one shows its panel. The arrow keys, Home and End move between them.

import { h } from "./elements.js";

export class Tabs {
  /** @param {HTMLElement} host */
  constructor(host) {
    this._host = host;
    this._list = h("div", { role: "tablist", onkeydown: (event) => this._press(event) });
    /** @type {{name: string, tab: HTMLElement, panel: HTMLElement, chosen?: () => void}[]} */
    this._all = [];
    host.append(this._list);
  }

  /** Add a tab, and return the element for its contents; the first tab is chosen at first.
   * @param {string} name the id of the panel is panel-NAME, that of the tab tab-NAME
   * @param {string} key the key of the tab's text  @param {() => void} [chosen] called when the tab is chosen */
  add(name, key, chosen) {
    const choose = () => this.choose(name);
    const tab = h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, "data-text": key, onclick: choose });
    const panel = h("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: 0 });
    this._all.push({ name, tab, panel, chosen });
    this._list.append(tab);
    this._host.append(panel);
    this.choose(this._all[0].name);
    return panel;
  }

  /** Show or hide a tab. If a hidden one was chosen, the first one is chosen.
   * @param {string} name  @param {boolean} offered */
  offer(name, offered) {
    for (const one of this._all.filter((each) => each.name === name)) {
      if (!offered && !one.panel.hidden) this.choose(this._all[0].name);
      one.tab.hidden = !offered;
    }
  }

  /** @param {string} name */
  choose(name) {
    for (const { name: other, tab, panel, chosen } of this._all) {
      const isChosen = other === name;
      panel.hidden = !isChosen;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      if (isChosen) chosen?.();
    }
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    const all = this._all.filter(({ tab }) => !tab.hidden), last = all.length - 1, at = all.findIndex(({ tab }) => tab === event.target);
    /** @type {{[key: string]: number}} */
    const ways = { ArrowLeft: at ? at - 1 : last, ArrowRight: at < last ? at + 1 : 0, Home: 0, End: last };
    if (!(event.key in ways)) return;
    event.preventDefault();
    const { name, tab } = all[ways[event.key]];
    this.choose(name);
    tab.focus();
  }
}
