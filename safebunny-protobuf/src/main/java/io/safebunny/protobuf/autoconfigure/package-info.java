// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration of Protocol Buffers. */
@NullMarked
package io.safebunny.protobuf.autoconfigure;

import org.jspecify.annotations.NullMarked;
