// SPDX-License-Identifier: Apache-2.0
/** The codecs of a node, chosen by {@code content_encoding}, and one for gzip. No I/O. */
@NullMarked
package io.safebunny.codec;

import org.jspecify.annotations.NullMarked;
