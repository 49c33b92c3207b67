// SPDX-License-Identifier: Apache-2.0
/** Each kind of change shows in the text. */
@NullMarked
package io.safebunny.rules;

import org.jspecify.annotations.NullMarked;
