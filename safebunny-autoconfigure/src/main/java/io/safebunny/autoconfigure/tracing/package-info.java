// SPDX-License-Identifier: Apache-2.0
/** Links the traces of messages that are delivered later, where Micrometer Tracing is. */
@NullMarked
package io.safebunny.autoconfigure.tracing;

import org.jspecify.annotations.NullMarked;
