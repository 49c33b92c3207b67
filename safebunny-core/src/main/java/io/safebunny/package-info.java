// SPDX-License-Identifier: Apache-2.0
/** What applications import every day: the annotations, the publisher and the context of a message. */
@NullMarked
package io.safebunny;

import org.jspecify.annotations.NullMarked;
