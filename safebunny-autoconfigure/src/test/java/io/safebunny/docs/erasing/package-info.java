// SPDX-License-Identifier: Apache-2.0
/** Listings of {@code docs/erasure.md}. */
@NullMarked
package io.safebunny.docs.erasing;

import org.jspecify.annotations.NullMarked;
