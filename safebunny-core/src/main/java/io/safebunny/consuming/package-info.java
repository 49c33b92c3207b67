// SPDX-License-Identifier: Apache-2.0
/** One delivery's way through the pipeline, from validation to being settled exactly once. */
@NullMarked
package io.safebunny.consuming;

import org.jspecify.annotations.NullMarked;
