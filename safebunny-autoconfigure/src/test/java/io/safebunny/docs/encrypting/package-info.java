// SPDX-License-Identifier: Apache-2.0
/** Listings of {@code docs/encryption.md}. */
@NullMarked
package io.safebunny.docs.encrypting;

import org.jspecify.annotations.NullMarked;
