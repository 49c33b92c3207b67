// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration of encryption. */
@NullMarked
package io.safebunny.crypto.autoconfigure;

import org.jspecify.annotations.NullMarked;
