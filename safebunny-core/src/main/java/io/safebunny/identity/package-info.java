// SPDX-License-Identifier: Apache-2.0
/** Message ids as pure functions: the same input gives the same ids, also of random ones, whose input is a generator. */
@NullMarked
package io.safebunny.identity;

import org.jspecify.annotations.NullMarked;
