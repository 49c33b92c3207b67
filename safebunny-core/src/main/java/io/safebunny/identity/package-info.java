// SPDX-License-Identifier: Apache-2.0
/** Deterministic message ids: same input, same code, same ids. Pure functions. */
@NullMarked
package io.safebunny.identity;

import org.jspecify.annotations.NullMarked;
