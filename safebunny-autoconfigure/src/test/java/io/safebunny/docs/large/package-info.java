// SPDX-License-Identifier: Apache-2.0
/** The listings of {@code docs/large-messages.md}. */
@NullMarked
package io.safebunny.docs.large;

import org.jspecify.annotations.NullMarked;
