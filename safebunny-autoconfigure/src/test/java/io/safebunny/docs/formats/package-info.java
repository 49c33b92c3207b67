// SPDX-License-Identifier: Apache-2.0
/** Listings of {@code docs/formats.md}. */
@NullMarked
package io.safebunny.docs.formats;

import org.jspecify.annotations.NullMarked;
