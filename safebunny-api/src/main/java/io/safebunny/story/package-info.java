// SPDX-License-Identifier: Apache-2.0
/** What became of one message or one saga, in order and in words: what people ask when something does not go on. */
@NullMarked
package io.safebunny.story;

import org.jspecify.annotations.NullMarked;
