// SPDX-License-Identifier: Apache-2.0
/**
 * What can go wrong, as types with stable codes. Every text says what failed, why, and what to do; none contains a payload, a
 * credential or a URL with one in it.
 */
@NullMarked
package io.safebunny.failure;

import org.jspecify.annotations.NullMarked;
