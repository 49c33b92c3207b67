// SPDX-License-Identifier: Apache-2.0
/** Runs the steps around a message in order, for consuming and publishing, and keeps the bean scope of one message. */
@NullMarked
package io.safebunny.pipeline;

import org.jspecify.annotations.NullMarked;
