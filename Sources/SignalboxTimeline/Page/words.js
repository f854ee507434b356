"use strict";
// words.js: texts, times and elements, for both pages. Names are others': they reach the page as text alone, never as HTML.

/// Controls, and marks that would turn the text around them.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/// The text with a sign for what could not be seen.
function shown(text) {
  return String(text).replace(UNSEEN, one => {
    const code = one.charCodeAt(0);
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? "\u2421" : "\u27e8U+" + code.toString(16).toUpperCase().padStart(4, "0") + "\u27e9";
  });
}

/// The first characters of a text, with a sign for the rest.
function clipped(text, count) {
  if (text.length <= count) return text;
  if (count < 2) return "";
  const end = (text.charCodeAt(count - 2) & 0xfc00) === 0xd800 ? count - 2 : count - 1;
  return text.slice(0, end) + "\u2026";
}

/// An element: its classes stand behind dots, its children are elements or texts; attributes that are functions listen.
function make(what, attributes, ...children) {
  const [tag, ...classes] = what.split("."), element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined).map(
    child => child instanceof Node ? child : document.createTextNode(String(child))));
  return element;
}

/// A name, kept apart from the direction of the text around it.
function name(text) { return make("bdi", { dir: "ltr" }, shown(text)); }

/// A row of pairs: a word, and what belongs to it; pairs with nothing are left out.
function pairs(list) {
  return make("dl", null, ...list.filter(([, value]) => value !== null && value !== undefined).flatMap(
    ([word, value]) => [make("dt", null, word), make("dd", null, value)]));
}

const UNITS = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];

/// A span of nanoseconds in three or four digits.
function span(nanoseconds) {
  const size = Math.abs(nanoseconds), [unit, scale] = UNITS.find(([, scale]) => size >= scale) || UNITS[3];
  if (unit === "s" && size >= 6e10) {
    const minutes = Math.floor(size / 6e10);
    return `${nanoseconds < 0 ? "-" : ""}${minutes} min ${((size - minutes * 6e10) / 1e9).toFixed(1)} s`;
  }
  const value = nanoseconds / scale, digits = scale === 1 ? 0 : Math.abs(value) < 10 ? 3 : Math.abs(value) < 100 ? 2 : 1;
  return `${value.toFixed(digits)} ${unit}`;
}

/// A moment of the recording, to the nanosecond.
function moment(nanoseconds) {
  const whole = Math.round(nanoseconds), rest = String(Math.abs(whole) % 1e9).padStart(9, "0");
  return `${whole < 0 ? "-" : ""}${Math.floor(Math.abs(whole) / 1e9)}.${rest.slice(0, 3)} ${rest.slice(3, 6)} ${rest.slice(6)} s`;
}

function count(number) { return Number(number).toLocaleString("en-US"); }

function plural(number, one, several = one + "s") { return `${count(number)} ${number === 1 ? one : several}`; }

/// What a `script` of data holds, which is then let go.
function embedded(id) {
  const element = document.getElementById(id), text = element ? element.textContent : "";
  if (element) element.remove();
  return text;
}
