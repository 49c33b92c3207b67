// SPDX-License-Identifier: Apache-2.0
/** Checks whether a delivery is a message that its handler can take. Reads only. */
@NullMarked
package io.safebunny.validation;

import org.jspecify.annotations.NullMarked;
