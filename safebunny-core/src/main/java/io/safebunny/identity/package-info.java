// SPDX-License-Identifier: Apache-2.0
/** Message ids: same input, same code, same ids; also of random ones, whose input is a generator. Pure functions. */
@NullMarked
package io.safebunny.identity;

import org.jspecify.annotations.NullMarked;
