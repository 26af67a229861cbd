/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page of wallprof flame, and the script of its pictures, as parts of the program:
 * flame/html.c and flame/svg.c write them.
 */
	.section .rodata
	.macro text name, file
	.global \name
	.type \name, %object
\name:
	.incbin "\file"
	.byte 0
	.size \name, . - \name
	.endm

	text wp_flame_page_html, "userspace/flame/page.html"
	text wp_flame_page_css, "userspace/flame/page.css"
	text wp_flame_page_data_js, "userspace/flame/data.js"
	text wp_flame_page_frames_js, "userspace/flame/frames.js"
	text wp_flame_page_draw_js, "userspace/flame/draw.js"
	text wp_flame_page_detail_js, "userspace/flame/detail.js"
	text wp_flame_page_functions_js, "userspace/flame/functions.js"
	text wp_flame_page_tree_js, "userspace/flame/tree.js"
	text wp_flame_page_view_js, "userspace/flame/view.js"
	text wp_flame_page_width_js, "userspace/flame/width.js"
	text wp_flame_page_input_js, "userspace/flame/input.js"
	text wp_flame_picture_js, "userspace/flame/picture.js"

	.section .note.GNU-stack, "", %progbits
