// SPDX-License-Identifier: Apache-2.0
/** The endpoint that tells what became of a message or a saga. */
@NullMarked
package io.safebunny.autoconfigure.actuate.story;

import org.jspecify.annotations.NullMarked;
