// SPDX-License-Identifier: Apache-2.0
/** Encryption of bodies: which types are encrypted, and where the keys come from. */
@NullMarked
package io.safebunny.encryption;

import org.jspecify.annotations.NullMarked;
