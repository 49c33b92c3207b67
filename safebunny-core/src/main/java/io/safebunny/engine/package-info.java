// SPDX-License-Identifier: Apache-2.0
/** The composition root: the only place that sees everything. */
@NullMarked
package io.safebunny.engine;

import org.jspecify.annotations.NullMarked;
