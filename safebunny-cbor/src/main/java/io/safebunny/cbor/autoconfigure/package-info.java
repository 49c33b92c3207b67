// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration of CBOR. */
@NullMarked
package io.safebunny.cbor.autoconfigure;

import org.jspecify.annotations.NullMarked;
