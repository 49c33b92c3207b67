// SPDX-License-Identifier: Apache-2.0
/** The composition root: the only package that sees everything, and nothing but wiring and the order of start and stop. */
@NullMarked
package io.safebunny.engine;

import org.jspecify.annotations.NullMarked;
