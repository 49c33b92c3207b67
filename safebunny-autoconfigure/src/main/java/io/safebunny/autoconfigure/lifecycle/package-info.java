// SPDX-License-Identifier: Apache-2.0
/** When the engine publishes and consumes, relative to the web server and to Spring's listeners. */
@NullMarked
package io.safebunny.autoconfigure.lifecycle;

import org.jspecify.annotations.NullMarked;
