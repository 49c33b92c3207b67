// SPDX-License-Identifier: Apache-2.0
/** Message bodies in CBOR (RFC 8949). */
@NullMarked
package io.safebunny.cbor;

import org.jspecify.annotations.NullMarked;
