// SPDX-License-Identifier: Apache-2.0
/** Describes what a module makes public and compares it with what was accepted; it knows none of the modules. */
@NullMarked
package io.safebunny.rules;

import org.jspecify.annotations.NullMarked;
