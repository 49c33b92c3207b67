// SPDX-License-Identifier: Apache-2.0
/** Links the traces of messages that are delivered later, if Micrometer Tracing is on the class path. */
@NullMarked
package io.safebunny.autoconfigure.tracing;

import org.jspecify.annotations.NullMarked;
