// SPDX-License-Identifier: Apache-2.0
/** The composition root, and the only package that sees all others. Contains nothing but the wiring, and the order of start and stop. */
@NullMarked
package io.safebunny.engine;

import org.jspecify.annotations.NullMarked;
