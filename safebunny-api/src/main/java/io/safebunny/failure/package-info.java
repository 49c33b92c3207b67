// SPDX-License-Identifier: Apache-2.0
/**
 * Exceptions with stable codes. Every text says what failed, why, and what to do; none contains a payload, a credential or a URL
 * with a credential.
 */
@NullMarked
package io.safebunny.failure;

import org.jspecify.annotations.NullMarked;
