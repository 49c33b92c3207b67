// SPDX-License-Identifier: Apache-2.0
/** Encrypts the bodies of messages, each bound to the identity of its message. */
@NullMarked
package io.safebunny.crypto;

import org.jspecify.annotations.NullMarked;
