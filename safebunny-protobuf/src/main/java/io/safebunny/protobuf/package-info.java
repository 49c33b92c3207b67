// SPDX-License-Identifier: Apache-2.0
/** Message bodies in Protocol Buffers. */
@NullMarked
package io.safebunny.protobuf;

import org.jspecify.annotations.NullMarked;
