// SPDX-License-Identifier: Apache-2.0
/** A real browser, by what a person sees and does in it, and what it says of a page. */
@NullMarked
package io.safebunny.proof.watchdog.browser;

import org.jspecify.annotations.NullMarked;
